import { clock, duration } from "../../format";
import { href } from "../../router";
import type { Item } from "./model";

const most = 1000;

/** The same as text. */
export function ItemTable({ items, start }: { items: Item[]; start: number }) {
  const order = items.toSorted((a, b) => a.from - b.from);
  return (
    <div class="scroll-x" tabIndex={0} role="region" aria-label="Timeline as a table">
      <table class="data">
        <thead>
          <tr>
            <th>At</th>
            <th>After</th>
            <th>For</th>
            <th>What</th>
            <th>Name</th>
            <th>Details</th>
          </tr>
        </thead>
        <tbody>
          {order.slice(0, most).map((i) => (
            <tr key={i.key}>
              <td class="num">{clock(new Date(i.from).toISOString())}</td>
              <td class="num">{duration(Math.max(0, i.from - start))}</td>
              <td class="num">{i.mark ? "" : i.to === null ? "going on" : duration(i.to - i.from)}</td>
              <td>{i.lane}</td>
              <td>{i.process ? <a href={href(`processes/${i.process}`)}>{i.name}</a> : i.name}</td>
              <td>{i.detail}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {order.length > most && <p class="quiet">The first {most} of {order.length}. The Events tab has all.</p>}
    </div>
  );
}
