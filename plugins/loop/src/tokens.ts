// What other plugins may import: how a plugin chooses the files of a run, and the tools of files.
export { bundleWith, RunFiles, type ChosenFiles, type RunOpening } from './run-files.ts'
export { knownTools } from './tool-names.ts'
