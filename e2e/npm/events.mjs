// Reads an event stream with an independent EventSource client, up to
// finalized, and prints each event as a line of JSON.
import { EventSource } from 'eventsource'

const source = new EventSource(process.argv[2])
const print = (message) => {
  const data = JSON.parse(message.data)
  console.log(JSON.stringify({ id: message.lastEventId, data }))
  if (data.kind === 'finalized') source.close()
}
const kinds = `message process_created process_queued process_started output_appended output_elided output_merged
  exited reaped finalized cancelled timed_out signal_delivered lagged`
for (const kind of kinds.split(/\s+/)) source.addEventListener(kind, print)
source.addEventListener('error', (error) => {
  console.error(error.code ?? '', error.message ?? 'connection lost')
  if (error.code >= 400) process.exit(1)
})
