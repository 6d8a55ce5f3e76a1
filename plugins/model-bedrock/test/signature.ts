import { createHash, createHmac } from 'node:crypto'
import type { RecordedRequest } from '@amodal/sdk/testing'

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
const hmac = (key: string | Buffer, text: string): Buffer =>
  createHmac('sha256', key).update(text).digest()

/**
 * Whether a request has the signature that AWS computes for it, with whatever headers it says are
 * signed. Source: "Create a signed AWS API request" in the documentation of IAM.
 */
export function isSigned(
  { headers, path, raw }: RecordedRequest,
  secretKey: string,
  region: string,
): boolean {
  const [, id, scope, names = '', signature] =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/([^,]+), SignedHeaders=([^,]+), Signature=(\w+)$/.exec(
      headers.authorization ?? '',
    ) ?? []
  const time = String(headers['x-amz-date'])
  const day = time.slice(0, 8)
  if (id === undefined || scope !== `${day}/${region}/bedrock/aws4_request`) return false
  const canonical = [
    'POST',
    path.split('/').map(encodeURIComponent).join('/'), // what is encoded already, once more
    '',
    ...names.split(';').map((name) => `${name}:${String(headers[name]).trim()}`),
    '',
    names,
    sha256(raw),
  ].join('\n')
  const key = [day, region, 'bedrock', 'aws4_request'].reduce<string | Buffer>(
    hmac,
    `AWS4${secretKey}`,
  )
  const text = ['AWS4-HMAC-SHA256', time, scope, sha256(canonical)].join('\n')
  return hmac(key, text).toString('hex') === signature
}
