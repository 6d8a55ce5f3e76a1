// The command line without its process: what `amodal` runs, and tests.
export { main, type Terminal } from './main.ts'
export { GLOBAL } from './arguments.ts'
export { completionCommand } from './completion.ts'
export { docsCommand } from './docs.ts'
export { EXIT_CODES } from './help.ts'
