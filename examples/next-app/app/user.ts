import 'server-only'
import { cookies } from 'next/headers'

/** The cookie of whoever has signed in. */
export const USER_COOKIE = 'user'

/**
 * The person who has signed in. A real site looks up its session here, such as with `auth()` of
 * Auth.js; this one takes the name out of a cookie that anybody could set.
 */
export async function signedInUser(): Promise<string | undefined> {
  const name = (await cookies()).get(USER_COOKIE)?.value
  return name === '' ? undefined : name
}
