// What people type, and what the API is sent. No daemon and no page is needed.
import { expect, test } from "@playwright/test";
import type { ProcessRecord } from "../src/api/types";
import { bodyOf } from "../src/create/body";
import { likeness } from "../src/create/like";
import { place } from "../src/create/place";
import { parse } from "../src/create/words";

test("command lines are cut into words as a shell does", () => {
  const words: [string, string[]][] = [
    ["make build", ["make", "build"]],
    [`  a   "b  c" 'd "e"' f\\ g `, ["a", "b  c", 'd "e"', "f g"]],
    [`x"y"'z'`, ["xyz"]],
    [`echo "" ''`, ["echo", "", ""]],
    [`echo "a \\"b\\" \\n"`, ["echo", 'a "b" \\n']],
    [`grep 'a|b' "c;d"`, ["grep", "a|b", "c;d"]],
    ["", []],
  ];
  for (const [line, want] of words) expect(parse(line)).toEqual({ words: want, open: false, wantsShell: false });
  for (const line of ["a | b", "a && b", "echo $HOME", 'echo "$HOME"', "ls *.go", "a > b", "ls ~", "$(a)"]) expect(parse(line).wantsShell, line).toBe(true);
  for (const line of ["echo 'a", 'echo "b']) expect(parse(line).open).toBe(true);
});

test("durations and sizes are what people write", () => {
  const sent = (values: Record<string, string>): unknown => bodyOf("command", { line: "true", ...values }).options;
  for (const [text, ms] of [["30s", 30_000], ["1m30s", 90_000], ["500ms", 500], ["1.5h", 5_400_000], ["250", 250], ["none", null], ["2 min", 120_000]] as const) {
    expect(sent({ "options.timeout": text }), text).toEqual({ timeout: ms });
  }
  for (const [text, bytes] of [["256 MB", 256e6], ["1GiB", 2 ** 30], ["64k", 64_000], ["1000", 1000], ["0.5 GB", 5e8]] as const) {
    expect(sent({ "options.limits.memoryBytes": text }), text).toEqual({ limits: { memoryBytes: bytes } });
  }
  for (const wrong of ["soon", "5 parsecs", "s", "-3s"]) expect(() => sent({ "options.timeout": wrong }), wrong).toThrow("is not a duration");
  expect(() => sent({ "options.limits.memoryBytes": "much" })).toThrow("is not a number of bytes");
  expect(() => sent({ priority: "high" })).toThrow("is not a whole number");
});

test("what is left as it is, is not sent", () => {
  expect(bodyOf("typescript", { code: "", label: " ", "options.jit": "yes", rawOutput: "persist" })).toEqual({ environment: "typescript", code: "" });
  expect(bodyOf("typescript", { code: "x", "options.tools": "none", "options.jit": "no", tags: "a, ,b" })).toEqual({ environment: "typescript", code: "x", tags: ["a", "b"], options: { tools: [], jit: false } });
  expect(bodyOf("command", { line: "a | b", shell: true })).toEqual({ environment: "command", code: "a | b" });
  expect(bodyOf("command", { line: "a | b", shell: true, "command.cwd": "/x" })).toEqual({ environment: "command", command: { program: "sh", args: ["-c", "a | b"], cwd: "/x" } });
  expect(() => bodyOf("command", { line: "a", "command.env": [{ name: "K", value: "1" }, { name: "K", value: "2" }] })).toThrow("K is there twice");
});

test("an error belongs to the field that its sentence names", () => {
  const fields = ["line", "code", "tags", "command.env", "command.cwd", "options.require", "options.limits.memoryBytes"];
  const at = (message: string): string => place(new Error(message), fields).field;
  expect(at("options.require[0]: nothing can be required")).toBe("options.require");
  expect(at("command.env.K: is a number: want a string")).toBe("command.env");
  expect(at("command.program: is empty")).toBe("line");
  expect(at("command: is missing")).toBe("line");
  expect(at("options.limits.memoryBytes: 5 is too little")).toBe("options.limits.memoryBytes");
  expect(at("agents cannot be run: no model is configured")).toBe("");
});

test("a likeness sends what the process was made of", () => {
  const options = { timeoutMs: 5000, grace: 1500, tools: [], limits: { memoryBytes: 1000 }, jit: false };
  const { kind, values, missing } = likeness({ environment: "typescript", code: "a()", label: "L", tags: ["x", "y"], priority: 0, ref: "r", command: null, options, interpreter: "generic", rawOutput: "memory" } as unknown as ProcessRecord);
  expect(missing).toEqual([]);
  expect(bodyOf(kind, values)).toEqual({ environment: "typescript", code: "a()", label: "L", tags: ["x", "y"], rawOutput: "memory", options: { timeout: 5000, grace: 1500, tools: [], limits: { memoryBytes: 1000 }, jit: false } });
});
