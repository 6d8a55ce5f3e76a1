import type { Client } from './client.ts'
import { HttpTransport, type HttpTransportOptions } from './http-transport.ts'
import { followStream, turnStream, type ResumeOptions } from './turn-stream.ts'
import { uploadFile } from './upload-file.ts'

/** The methods of a {@link Client} that a conversation needs. */
export type SessionClient = Pick<
  Client,
  'send' | 'session' | 'follow' | 'answer' | 'cancel' | 'retry' | 'revoke' | 'settle' | 'upload'
>

/**
 * Makes a client for conversations alone, which is a third of the size of `createClient` in a page.
 *
 * @param options as for `createClient`
 * @returns its methods throw `ClientError` with the server's code where they are refused
 * @example
 * import { Conversation, createSessionClient } from '@amodal/sdk/client'
 *
 * const client = createSessionClient({ url: 'http://127.0.0.1:3847' })
 * const conversation = new Conversation(client)
 * conversation.send('What can you do?')
 */
export const createSessionClient = (options: HttpTransportOptions & ResumeOptions): SessionClient =>
  sessionMethods(new HttpTransport(options), options)

/** @internal */
export function sessionMethods(transport: HttpTransport, options: ResumeOptions): SessionClient {
  const at = (session: string, rest = ''): string =>
    `/sessions/${encodeURIComponent(session)}${rest}`
  return {
    send: (message) => turnStream(transport, message, options),
    session: (id, { signal } = {}) => transport.json(at(id), { signal }),
    follow: (id, { signal } = {}) => followStream(transport, { session: id }, signal, options),
    answer: (id, answers, { signal } = {}) =>
      transport.json('/ask-user-response', {
        method: 'POST',
        body: { session_id: id, responses: Array.isArray(answers) ? answers : [answers] },
        signal,
      }),
    cancel: (id, { signal } = {}) => transport.json(at(id, '/cancel'), { method: 'POST', signal }),
    async retry(id, { signal } = {}) {
      await transport.json(at(id, '/retry'), { method: 'POST', signal })
    },
    async revoke(id, grant, { signal } = {}) {
      const path = at(id, `/grants/${encodeURIComponent(grant)}`)
      await transport.json(path, { method: 'DELETE', signal })
    },
    settle: (id, call, outcome, { signal } = {}) =>
      transport.json(at(id, `/calls/${encodeURIComponent(call)}/outcome`), {
        method: 'POST',
        body: { outcome },
        signal,
      }),
    upload: (file, options) => uploadFile(transport, file, options),
  }
}
