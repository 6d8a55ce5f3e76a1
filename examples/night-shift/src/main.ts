import { startReceiver } from './receiver.ts'

/** Prints results on a port of this machine: `node examples/night-shift/src/main.ts`. */
const secret = process.env['RECEIVER_SECRET'] ?? ''
if (secret === '') throw new Error('set RECEIVER_SECRET, as the agent has it')
const { url } = await startReceiver(
  secret,
  ({ automation, status, message }) =>
    process.stdout.write(`${automation} (${status}): ${message ?? ''}\n`),
  8025,
)
process.stdout.write(`Waiting for results on ${url}\n`)
