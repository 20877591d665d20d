// Keys on their way to a process: in order, one request at a time; what is typed
// meanwhile goes together.
import { sentence } from "../../api/http";
import { input } from "../header/input";

export class Keyboard {
  private waiting = "";
  private busy = false;

  constructor(
    private id: number,
    private note: (text: string) => void,
  ) {}

  type(keys: string): void {
    this.waiting += keys;
    if (!this.busy) void this.send();
  }

  private async send(): Promise<void> {
    this.busy = true;
    try {
      while (this.waiting) {
        const keys = this.waiting;
        this.waiting = "";
        await input(this.id, keys);
        this.note("");
      }
    } catch (e) {
      this.waiting = ""; // nobody wants old keys later
      this.note(sentence(e));
    } finally {
      this.busy = false;
    }
  }
}
