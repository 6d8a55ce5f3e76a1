// What other plugins may import: how a plugin chooses the files of a run.
export { bundleWith, RunFiles, type ChosenFiles, type RunOpening } from './run-files.ts'
