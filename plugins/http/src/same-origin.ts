import { failure, type Failure } from '@amodal/sdk'

/** Whether a host name or address is loopback. */
export const isLoopback = (name: string): boolean =>
  /^(?:localhost|(?:[\w-]+\.)+localhost|127(?:\.\d{1,3}){3}|\[::1\]|::1)$/i.test(name)

/** `Origin` is client input, so it is quoted in a message only if it is well formed. */
const quotable = (origin: string): string =>
  /^[\w.+-]+:\/\/[\w.:[\]-]{1,253}$/.test(origin) ? origin : 'its name is not an origin'

const nameOf = (host: string): string => host.replace(/:\d*$/, '')

/**
 * Refuses cross-origin requests from a browser: by `Origin`, and by `Host`, which is a foreign name
 * if a page reaches loopback through DNS rebinding.
 *
 * @param loopbackOnly accept loopback names only; `false` if the server is bound to other addresses
 */
export function rejectForeign(
  host: string | undefined,
  origin: string | undefined,
  loopbackOnly: boolean,
): Failure | undefined {
  if (host === undefined || (loopbackOnly && !isLoopback(nameOf(host)))) {
    return failure(
      'FORBIDDEN_ORIGIN',
      'this server accepts requests only for its own name, such as localhost or 127.0.0.1; the setting for other names is `host` of the plugin "http" in amodal.json',
    )
  }
  if (
    origin !== undefined &&
    origin.replace(/^https?:\/\//i, '').toLowerCase() !== host.toLowerCase()
  ) {
    return failure(
      'FORBIDDEN_ORIGIN',
      `this request comes from a page of another origin (${quotable(origin)}): call from the same origin, or allow it with \`cors.origins\` of the plugin "http" in amodal.json`,
    )
  }
  return undefined
}
