import { active, changed, type Key } from "../keys";
import { Dialog } from "../ui/dialog";

/** The keys that work now. */
export function Help({ onClose }: { onClose: () => void }) {
  changed.value; // shown again when they change
  const groups = new Map<string, Key[]>();
  for (const k of active()) groups.set(k.group, [...(groups.get(k.group) ?? []), k]);
  return (
    <Dialog title="Keys" onClose={onClose} wide>
      <div class="keys">
        {[...groups].map(([name, keys]) => (
          <section key={name}>
            <h3>{name}</h3>
            <dl>
              {keys.map((k) => (
                <div key={k.label}>
                  <dt>
                    {k.keys.map((key) => (
                      <kbd key={key}>{key.replace("Mod+", "Ctrl+").replace("Arrow", "")}</kbd>
                    ))}
                  </dt>
                  <dd>{k.label}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
