import { createHash } from 'node:crypto'
import type { BundleFile } from '@amodal/sdk'
import { compare } from '@amodal/sdk/files'

/**
 * SHA-256 over paths and contents, sorted by path: equal folders have equal hashes, wherever they
 * stand.
 */
export function bundleHash(files: readonly BundleFile[]): string {
  const hash = createHash('sha256')
  for (const { path, text } of [...files].sort((a, b) => compare(a.path, b.path))) {
    // With lengths, so that no text can pass for a path or for the next file.
    hash.update(`${path.length}:${path}${text.length}:${text}`)
  }
  return hash.digest('hex')
}
