// What other plugins and clients may see of this one.
export * from './protocol.ts'
export { PageHost, type PageHostOptions } from './page-host.ts'
