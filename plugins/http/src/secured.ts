/** Defaults for responses with data. Headers that a handler sets itself take precedence. */
const HEADERS: readonly (readonly [name: string, value: string])[] = [
  ['x-content-type-options', 'nosniff'],
  ['x-frame-options', 'DENY'],
  ['referrer-policy', 'no-referrer'],
  ['cross-origin-resource-policy', 'same-origin'],
  ['cross-origin-opener-policy', 'same-origin'],
  ['content-security-policy', "default-src 'none'; frame-ancestors 'none'"],
]

/** The response with the security headers that its handler did not set itself. */
export function secured(response: Response): Response {
  try {
    return add(response)
  } catch {
    // headers of redirects and of fetched responses cannot be changed
    return add(new Response(response.body, response))
  }
}

function add(response: Response): Response {
  const { headers } = response
  for (const [name, value] of HEADERS) if (!headers.has(name)) headers.set(name, value)
  return response
}
