// What other plugins may import: the slot by which a plugin chooses the files of a run.
export { RunFiles, type ChosenFiles, type RunOpening } from './run-files.ts'
