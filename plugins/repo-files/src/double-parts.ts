import type { BundleFile } from '@amodal/sdk'
import { partPath, type Issues, TAKEN_FIX } from '@amodal/sdk/files'

const PART = /^(amodal\/)?((?:agents|tools|stores|connections|knowledge|skills)\/[^/]+)/

/** What a file belongs to, such as `stores/beds` for its definition and its seed. */
function partOf(path: string): { readonly part: string; readonly isInside: boolean } | undefined {
  const [, inside, name = ''] = PART.exec(path) ?? []
  // A folder of knowledge is none of the parts: each document is.
  if (name === '') return undefined
  const isDocument = partPath(path).startsWith('knowledge/')
  const part = (isDocument ? partPath(path) : name).replace(
    /(?:\.seed)?\.(?:json|md|[mc]?[jt]s)$/i,
    '',
  )
  return { part: part.toLowerCase(), isInside: inside !== undefined }
}

/**
 * The files without parts that stand in the root and in `amodal/` as well: nothing says which of
 * the two counts, so that neither is used.
 */
export function withoutDoubleParts(
  files: readonly BundleFile[],
  issues: Issues,
): readonly BundleFile[] {
  const places = new Map<string, { inside?: string; outside?: string }>()
  for (const { path } of files) {
    const found = partOf(path)
    if (!found) continue
    const known = places.get(found.part) ?? {}
    places.set(found.part, { [found.isInside ? 'inside' : 'outside']: path, ...known })
  }
  const double = new Set<string>()
  for (const [part, { inside, outside }] of places) {
    if (inside === undefined || outside === undefined) continue
    double.add(part)
    issues.error(
      'DUPLICATE_NAME',
      `this part stands in ${outside} as well, and neither of them is used`,
      { file: inside, line: 1, fix: `${TAKEN_FIX}, or remove one` },
    )
  }
  return double.size === 0
    ? files
    : files.filter(({ path }) => !double.has(partOf(path)?.part ?? ''))
}
