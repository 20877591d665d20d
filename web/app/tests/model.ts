// A model that says what it was told to say, one turn for each question.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface Turn {
  text: string;
  calls: { name: string; args: object }[];
}

export async function model(turns: Turn[]): Promise<{ url: string; close: () => void }> {
  let next = 0;
  const server = createServer((question, answer) => {
    question.resume();
    question.on("end", () => {
      const turn = turns[Math.min(next++, turns.length - 1)]!;
      answer.writeHead(200, { "Content-Type": "text/event-stream" });
      const say = (delta: object, finish: string | null = null): void => chunk({ choices: [{ index: 0, delta, finish_reason: finish }] });
      const chunk = (more: object): void => void answer.write(`data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "scripted", ...more })}\n\n`);
      say({ role: "assistant", content: turn.text });
      turn.calls.forEach((c, i) => say({ tool_calls: [{ index: i, id: `call_${next}_${i}`, type: "function", function: { name: c.name, arguments: JSON.stringify(c.args) } }] }));
      say({}, turn.calls.length > 0 ? "tool_calls" : "stop");
      chunk({ choices: [], usage: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 } });
      answer.end("data: [DONE]\n\n");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/`, close: () => server.close() };
}
