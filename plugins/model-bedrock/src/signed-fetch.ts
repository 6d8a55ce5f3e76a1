import type { AwsCredentials } from './endpoint.ts'

/** As a scope of a signature, whatever the host. */
const SERVICE = 'bedrock'

/**
 * A `fetch` that signs what it sends (AWS Signature Version 4), body included: nothing may change a
 * request behind it.
 *
 * @example
 * signing({ accessKeyId, secretAccessKey, sessionToken: undefined, region: 'us-east-1' }, send)
 */
export const signing =
  (credentials: AwsCredentials, send: typeof fetch): typeof fetch =>
  async (input, init) => {
    const { AwsV4Signer } = await import('aws4fetch')
    const { sessionToken, ...keys } = credentials
    const headers = new Headers(init?.headers)
    headers.delete('authorization')
    const { body } = init ?? {}
    const signer = new AwsV4Signer({
      ...keys,
      ...(sessionToken !== undefined && { sessionToken }),
      service: SERVICE,
      method: init?.method ?? 'POST',
      url: input instanceof Request ? input.url : input.toString(),
      headers,
      ...(typeof body === 'string' && { body }),
    })
    const signed = await signer.sign()
    return send(signed.url, { ...init, headers: signed.headers })
  }
