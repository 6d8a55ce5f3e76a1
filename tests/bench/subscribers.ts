/**
 * Subscribers of the runtime events of a server, or of another stream of it: opens so many streams
 * and counts what comes, or reads nothing. Says that it is ready once every stream is open; asked
 * for requests, it answers with the events it has heard.
 *
 *     node tests/bench/subscribers.ts --port 4000 --target 3847 --count 1000
 */

import { connect } from 'node:net'
import { parseArgs } from 'node:util'

import { announce, answerProbes } from './probe.ts'

const { values } = parseArgs({
  options: {
    /** Says who it is, and is not listened on. */
    port: { type: 'string', default: '0' },
    target: { type: 'string', default: '0' },
    count: { type: 'string', default: '1' },
    path: { type: 'string', default: '/api/events' },
    /** Once it is told that its stream is open, it reads nothing more. */
    stalled: { type: 'boolean', default: false },
  },
})

let heard = 0
answerProbes(() => heard)
const begin = Buffer.from('\ndata: ')
await Promise.all(Array.from({ length: Number(values.count) }, open))
announce(Number(values.port))

function open(): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port: Number(values.target), host: '127.0.0.1' }, () =>
      socket.write(`GET ${values.path} HTTP/1.1\r\nhost: localhost\r\n\r\n`),
    )
    socket.once('error', reject)
    socket.once('data', (head) => {
      if (!head.toString('latin1').startsWith('HTTP/1.1 200 '))
        reject(new Error(`the server said ${head.toString('latin1').slice(0, 200)}`))
      if (values.stalled) socket.pause()
      else socket.on('data', count)
      resolve()
    })
  })
}

/** One that is cut by the end of a piece is not counted: few are. */
function count(piece: Buffer): void {
  for (let at = piece.indexOf(begin); at !== -1; at = piece.indexOf(begin, at + begin.length))
    heard += 1
}
