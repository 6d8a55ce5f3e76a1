// What other plugins may import: choosing the files of a run, the tools known from files, and turns
// that make one call.
export { directCall, replyingWith, standIn, type DirectCall } from './model-calls/direct-call.ts'
export { callDirectly } from './streams/direct-turn.ts'
export { readTurn, type Turn, type TurnSource } from './streams/read-turn.ts'
export { bundleWith, RunFiles, type ChosenFiles, type RunOpening } from './run/run-files.ts'
export { knownTools } from './tool-calls/tool-names.ts'
