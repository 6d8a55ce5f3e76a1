/**
 * The benchmarks' model: a scripted chat-completions server as a process of its own. Prints
 * `ready <port>`; its base URL is `http://127.0.0.1:<port>/v1`.
 *
 *     node tests/bench/model-server.ts --port 4010
 */

import { parseArgs } from 'node:util'

import { startModelServer } from '@amodal/sdk/testing'

import { benchScript } from './model-scripts.ts'
import { announce, answerProbes } from './probe.ts'

const { values } = parseArgs({ options: { port: { type: 'string', default: '0' } } })

const server = await startModelServer({ script: benchScript(), port: Number(values.port), keep: 0 })
answerProbes(() => server.count)
announce(server.port)
