import { partPath } from './part-path.ts'

/** Names of API documents in the folder of a connection. */
export const API_DOCUMENTS = [
  'openapi.json',
  'openapi.yaml',
  'openapi.yml',
  'swagger.json',
  'swagger.yaml',
  'swagger.yml',
  'schema.graphql',
  'schema.json',
] as const

/**
 * Whether a path is that of an API document. They may be long, so who serves the connection reads
 * them.
 */
export function isApiDocument(path: string): boolean {
  const [folder, , name, ...more] = partPath(path).split('/')
  return folder === 'connections' && more.length === 0 && API_DOCUMENTS.some((one) => one === name)
}
