import { failure, type Failure } from '@amodal/sdk'

/** `true` for names and addresses that only this machine can be reached by. */
export const isLoopback = (name: string): boolean =>
  /^(?:localhost|(?:[\w-]+\.)+localhost|127(?:\.\d{1,3}){3}|\[::1\]|::1)$/i.test(name)

/** An origin is what its sender says it is, so it is quoted only where it looks like one. */
const shown = (origin: string): string =>
  /^[\w.+-]+:\/\/[\w.:[\]-]{1,253}$/.test(origin) ? origin : 'its name is not an origin'

const nameOf = (host: string): string => host.replace(/:\d*$/, '')

/**
 * Refuses requests that a foreign page makes in somebody's browser: by `Origin`, and by `Host`,
 * which is a foreign name where a page reaches loopback through a name server of its own (DNS
 * rebinding).
 *
 * @param loopbackOnly only loopback names are ours; `false` where the server is bound to other
 *   addresses
 */
export function foreign(
  host: string | undefined,
  origin: string | undefined,
  loopbackOnly: boolean,
): Failure | undefined {
  if (host === undefined || (loopbackOnly && !isLoopback(nameOf(host)))) {
    return failure(
      'FORBIDDEN_ORIGIN',
      'this server answers only to its own name, such as localhost or 127.0.0.1; the setting for other names is `host` of the plugin "http" in amodal.json',
    )
  }
  if (
    origin !== undefined &&
    origin.replace(/^https?:\/\//i, '').toLowerCase() !== host.toLowerCase()
  ) {
    return failure(
      'FORBIDDEN_ORIGIN',
      `this request comes from a page of another origin (${shown(origin)}): call from the same origin, or allow it with \`cors.origins\` of the plugin "http" in amodal.json`,
    )
  }
  return undefined
}
