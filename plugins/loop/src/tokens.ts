// What other plugins may import: how a plugin chooses the files of a run, the tools of files, and
// turns of one call.
export { directCall, standIn, type DirectCall } from './direct-call.ts'
export { readTurn, type Turn, type TurnSource } from './read-turn.ts'
export { bundleWith, RunFiles, type ChosenFiles, type RunOpening } from './run-files.ts'
export { knownTools } from './tool-names.ts'
