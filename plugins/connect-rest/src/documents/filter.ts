import type { ApiEndpoint, RestSpec } from '@amodal/sdk'
import picomatch from 'picomatch'

/** The endpoints that a connection's filter lets through. */
export function filterEndpoints(endpoints: readonly ApiEndpoint[], { tags, includePaths, excludePaths }: RestSpec['filter']): readonly ApiEndpoint[] {
  const matches = (globs: readonly string[]): ((path: string) => boolean) => picomatch([...globs], { dot: true })
  const included = includePaths.length === 0 ? () => true : matches(includePaths)
  const excluded = excludePaths.length === 0 ? () => false : matches(excludePaths)
  // Braces of a template are no braces of a glob.
  const plain = (path: string): string => path.replaceAll(/[{}]/g, '')
  return endpoints.filter(({ path, tags: own }) => (tags.length === 0 || own.some((tag) => tags.includes(tag))) && included(plain(path)) && !excluded(plain(path)))
}
