// The command line without its process: what `amodal` runs, and tests.
export { main, type Terminal } from './main.ts'
