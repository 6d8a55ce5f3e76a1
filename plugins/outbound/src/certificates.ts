import { readFile } from 'node:fs/promises'
import { getCACertificates } from 'node:tls'
import { messageOf, tryAsync, type Logger } from '@amodal/sdk'

/**
 * The certificates of Node and those of `NODE_EXTRA_CA_CERTS`. Node reads that variable when the
 * process starts; one that stands in the agent's `.env` comes later.
 *
 * @param file a file of certificates in PEM
 * @returns `undefined` where Node's own are enough
 */
export async function trustedCertificates(
  file: string | undefined,
  log: Logger,
): Promise<readonly string[] | undefined> {
  if (file === undefined || file === '') return undefined
  const read = await tryAsync(() => readFile(file, 'utf8'), messageOf)
  if (read.ok) return [...getCACertificates('default'), read.value]
  log.warn('outbound.certificates', {
    message: `NODE_EXTRA_CA_CERTS: ${file} cannot be read, so that only Node's own certificates are trusted (${read.error})`,
  })
  return undefined
}
