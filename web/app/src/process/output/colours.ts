// Colours of terminals that can be read in both themes: the sixteen are the
// style sheet's; others are moved towards black or white until they stand out.

export type Colour = { index: number } | { rgb: RGB };
type RGB = [number, number, number];

// The sixteen, where they are a ground or stand on one.
const sixteen: RGB[] = [
  [27, 34, 48], [179, 35, 31], [21, 113, 58], [138, 83, 0], [29, 78, 216], [134, 25, 143], [14, 107, 128], [217, 222, 231],
  [86, 96, 116], [220, 76, 70], [63, 166, 98], [222, 170, 60], [98, 146, 245], [200, 110, 210], [70, 170, 190], [255, 255, 255],
];

const light: RGB = [255, 255, 255]; // the grounds of the two themes
const dark: RGB = [23, 28, 37];
const enough = 4.5;

const known = new Map<string, { name: string; css: string }>();

/** The class, or the style, of a foreground and a background. */
export function colourStyle(fg: Colour | null, bg: Colour | null, inverse: boolean): { name: string; css: string } {
  if (!fg && !bg) return { name: "", css: "" };
  const key = JSON.stringify([fg, bg, inverse]);
  let found = known.get(key);
  if (!found) {
    if (known.size > 2000) known.clear();
    found = compute(fg, bg);
    known.set(key, found);
  }
  return found;
}

function compute(fg: Colour | null, bg: Colour | null): { name: string; css: string } {
  if (bg) {
    const ground = rgb(bg);
    const ink = readable(fg ? rgb(fg) : contrast(light, ground) >= contrast([0, 0, 0], ground) ? light : [0, 0, 0], ground);
    return { name: "", css: `background:${text(ground)};color:${text(ink)}` };
  }
  if (fg && "index" in fg && fg.index < 16) return { name: `sgr-${fg.index}`, css: "" };
  const ink = rgb(fg!);
  return { name: "sgr-own", css: `--on-light:${text(readable(ink, light))};--on-dark:${text(readable(ink, dark))}` };
}

function rgb(c: Colour): RGB {
  if ("rgb" in c) return c.rgb;
  if (c.index < 16) return sixteen[c.index]!;
  if (c.index >= 232) {
    const grey = 8 + (c.index - 232) * 10;
    return [grey, grey, grey];
  }
  const n = c.index - 16;
  const step = (v: number): number => (v === 0 ? 0 : 55 + v * 40);
  return [step(Math.floor(n / 36)), step(Math.floor(n / 6) % 6), step(n % 6)];
}

// readable moves a colour away from its ground until it stands out enough.
function readable(ink: RGB, ground: RGB): RGB {
  const end: RGB = luminance(ground) > 0.18 ? [0, 0, 0] : [255, 255, 255];
  for (let share = 0; share <= 1; share += 0.1) {
    const mixed = ink.map((v, i) => Math.round(v + (end[i]! - v) * share)) as RGB;
    if (contrast(mixed, ground) >= enough) return mixed;
  }
  return end;
}

function contrast(a: RGB, b: RGB): number {
  const [x, y] = [luminance(a), luminance(b)];
  return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
}

function luminance(c: RGB): number {
  const [r, g, b] = c.map((v) => {
    const s = v / 255;
    return s <= 0.03928 ? s / 12.92 : ((s + 0.055) / 1.055) ** 2.4;
  }) as RGB;
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

const text = (c: RGB): string => `#${c.map((v) => v.toString(16).padStart(2, "0")).join("")}`;
