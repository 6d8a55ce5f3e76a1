// Reading an agent's files: JSON that knows its lines, shapes whose problems say where, what went wrong; and files that hold a key.
export * from './api-document.ts'
export * from './bootstrap-files.ts'
export * from './did-you-mean.ts'
export * from './env-references.ts'
export * from './issues.ts'
export * from './json-file.ts'
export * from './key-file.ts'
export * from './shape.ts'
