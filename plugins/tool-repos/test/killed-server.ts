// A server of a test that is killed: `killed-server.ts FOLDER`, which prints its port.
import { served } from './server.ts'

const server = await served({}, { folder: process.argv[2] ?? '' })
process.stdout.write(`${server.port}\n`)
