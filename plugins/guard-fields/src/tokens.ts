// What other plugins may import: whether a restricted field is shown to somebody.
export { maySee } from './fields.ts'
