// What is shown beside a completion.
import type { Tool } from "../../api/tools";
import { parameters } from "../../tools/schema";
import type { Member } from "./declarations";

function element(tag: string, text: string, className = ""): HTMLElement {
  const e = document.createElement(tag);
  e.textContent = text;
  e.className = className;
  return e;
}

export function memberInfo(m: Member): HTMLElement {
  const box = element("div", "", "about-completion");
  if (m.detail) box.append(element("code", m.name + m.detail));
  const [text = "", example] = m.doc.split(/^@example\s*/m);
  if (text) box.append(element("p", text.trim()));
  if (example) box.append(element("pre", example.trim()));
  return box;
}

const says = { allow: "", ask: "A person decides about each call.", deny: "The policy of this daemon denies it." };

export function toolInfo(t: Tool): HTMLElement {
  const box = element("div", "", "about-completion");
  box.append(element("p", t.description));
  const list = element("dl", "");
  for (const p of parameters(t.params)) {
    list.append(element("dt", `${p.name}${p.required ? "" : "?"}: ${p.type}`), element("dd", p.description));
  }
  box.append(list.childElementCount > 0 ? list : element("p", "It takes no parameters.", "quiet"));
  if (says[t.permission]) box.append(element("p", says[t.permission], "notice"));
  return box;
}
