/**
 * The API that the agent of the guards' bench calls, as a process of its own. It prints `ready
 * <port>` and answers every request with one record.
 *
 *     node tests/bench/api-server.ts --port 4020
 */

import { createServer } from 'node:http'
import { parseArgs } from 'node:util'

import { announce, answerProbes } from './probe.ts'
import { benchRecord } from './vocabulary.ts'

const { values } = parseArgs({ options: { port: { type: 'string', default: '0' } } })
const port = Number(values.port)
const record = JSON.stringify(benchRecord)
let count = 0

answerProbes(() => count)
createServer((request, response) => {
  count += 1
  request.resume()
  response
    .writeHead(200, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(record),
    })
    .end(record)
}).listen(port, '127.0.0.1', () => announce(port))
