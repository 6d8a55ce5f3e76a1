/**
 * The OTLP receiver of the telemetry's bench, as a process of its own. It prints `ready <port>`,
 * reads what is sent, and answers with an empty success, or with `--hangs` never.
 *
 *     node tests/bench/otlp-receiver.ts --port 4318
 */

import { createServer } from 'node:http'
import { parseArgs } from 'node:util'

import { announce, answerProbes } from './probe.ts'

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '0' },
    hangs: { type: 'boolean', default: false },
  },
})
const port = Number(values.port)
let count = 0

answerProbes(() => count)
createServer((request, response) => {
  count += 1
  request.resume()
  if (!values.hangs)
    request.on('end', () =>
      response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end(),
    )
}).listen(port, '127.0.0.1', () => announce(port))
