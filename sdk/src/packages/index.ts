// Packages of plugins: what their package.json says of them, what was accepted of them, and what
// holds them to it. All of it works without loading their code.
export * from './capabilities.ts'
export * from './confine.ts'
export * from './confirm-at-terminal.ts'
export * from './content.ts'
export * from './lock.ts'
export * from './manifest.ts'
export * from './manifest-path.ts'
export * from './part-origins.ts'
export * from './tables.ts'
