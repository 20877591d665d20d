// Reads an event stream with an independent EventSource client and prints each
// event as a line of JSON. With a second argument it goes away after that many
// events and comes back by itself, as a browser does that lost its connection.
import { EventSource } from 'eventsource'

const [url, dropAfter] = process.argv.slice(2)
let count = 0
let controller
const source = new EventSource(url, {
  fetch: (input, init) => {
    controller = new AbortController()
    const signal = AbortSignal.any([controller.signal, init.signal])
    return fetch(input, { ...init, signal })
  },
})
const print = (message) => {
  console.log(JSON.stringify({ id: message.lastEventId, data: JSON.parse(message.data) }))
  if (++count === Number(dropAfter)) controller.abort()
  if (JSON.parse(message.data).kind === 'finalized') source.close()
}
const kinds = `message process_created process_queued process_started output_appended output_elided output_merged
  exited reaped finalized cancelled timed_out signal_delivered lagged`
for (const kind of kinds.split(/\s+/)) source.addEventListener(kind, print)
source.addEventListener('error', (error) => {
  if (error.code >= 400) {
    console.error(error.message)
    process.exit(1)
  }
})
