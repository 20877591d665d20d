import { useEffect, useState } from "preact/hooks";
import { get } from "../api/http";
import type { Version } from "../api/types";
import { Dialog } from "../ui/dialog";
import { complain } from "../ui/toast";

/** Which daemon this is. */
export function About({ onClose }: { onClose: () => void }) {
  const [v, setV] = useState<Version | null>(null);
  useEffect(() => void get<Version>("/version").then(setV, complain), []);
  return (
    <Dialog title="About Reeve" onClose={onClose}>
      {v ? (
        <dl class="facts">
          <dt>Version</dt>
          <dd>
            {v.version} {v.commit && <code>{v.commit.slice(0, 12)}</code>}
          </dd>
          <dt>Built with</dt>
          <dd>{v.go}</dd>
          <dt>Engines</dt>
          <dd>{v.engines.join(", ") || "none"}</dd>
          <dt>Daemon</dt>
          <dd>process {v.pid}</dd>
          <dt>Data</dt>
          <dd>
            <code>{v.dataDir}</code>
          </dd>
        </dl>
      ) : (
        <p class="quiet">Loading…</p>
      )}
      <p>
        <a href="/docs" target="_blank" rel="noreferrer">
          API reference
        </a>{" "}
        ·{" "}
        <a href="/assets/licenses.txt" target="_blank" rel="noreferrer">
          Licences of what is inside
        </a>
      </p>
    </Dialog>
  );
}
