// Server-sent events by fetch: EventSource cannot send a token.

export interface Message {
  id: string;
  data: string;
}

/**
 * Cuts a stream of bytes into messages. Sign-of-life comments are dropped; a
 * message that the end of the stream cut off is, too, as its id was not seen.
 */
export class MessageParser {
  private rest = "";
  private decoder = new TextDecoder();

  push(chunk: Uint8Array): Message[] {
    this.rest += this.decoder.decode(chunk, { stream: true });
    const messages: Message[] = [];
    let from = 0;
    for (let end = this.rest.indexOf("\n\n"); end >= 0; end = this.rest.indexOf("\n\n", from)) {
      const message = parse(this.rest.slice(from, end));
      if (message) messages.push(message);
      from = end + 2;
    }
    this.rest = this.rest.slice(from);
    return messages;
  }
}

function parse(block: string): Message | null {
  let id = "";
  let data = "";
  for (const line of block.split("\n")) {
    if (line.startsWith("data:")) data += (data && "\n") + line.slice(line[5] === " " ? 6 : 5);
    else if (line.startsWith("id:")) id = line.slice(3).trim();
  }
  return data ? { id, data } : null;
}
