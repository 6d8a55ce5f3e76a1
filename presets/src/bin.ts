#!/usr/bin/env node
import { createInterface } from 'node:readline'
import { main } from './cli/main.ts'

// The one place that touches the process: arguments, streams, signals, exit code.
const stop = new AbortController()
let first = 0
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.on(name, () => {
    // A second one means it: whoever presses Ctrl-C twice does not want to wait for the drain.
    // One signal may arrive twice, from the terminal's group and from npm, so it takes a second.
    if (first > 0 && performance.now() - first > 1_000) process.exit(130)
    first ||= performance.now()
    stop.abort(name)
  })
}

async function* lines(): AsyncGenerator<string, void, undefined> {
  const reader = createInterface({ input: process.stdin, terminal: false })
  try {
    yield* reader
  } finally {
    reader.close()
  }
}

process.exitCode = await main({
  argv: process.argv.slice(2), env: process.env, input: lines(), signal: stop.signal,
  write: (text) => void process.stdout.write(text), fail: (text) => void process.stderr.write(text),
})
// Keep-alive sockets and the like must not hold a finished command.
process.exit()
