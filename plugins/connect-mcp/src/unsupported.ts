import type { ServerCapabilities } from '@modelcontextprotocol/client'

/** What this client makes use of. */
const SUPPORTED: ReadonlySet<string> = new Set([
  'tools',
  'resources',
  'prompts',
  'completions',
  'logging',
  'experimental',
  'extensions',
])

/** What a server says that it can, and this client cannot, by its name. */
export function unsupportedIn(capabilities: ServerCapabilities): readonly string[] {
  const { experimental = {}, extensions = {} } = capabilities
  return [
    ...Object.keys(capabilities).filter((name) => !SUPPORTED.has(name)),
    ...Object.keys(extensions).map((name) => `extension ${name}`),
    ...Object.keys(experimental).map((name) => `experimental ${name}`),
  ]
}
