import { tokenOf } from '../../../agent'
import { signedInUser } from '../../../user'

/** A token of 15 minutes for the person who has signed in, and for pages of this site alone. */
export async function POST(request: Request): Promise<Response> {
  const user = await signedInUser()
  if (user === undefined) return Response.json({ error: 'nobody has signed in' }, { status: 401 })
  const token = await tokenOf(user, request.headers.get('origin') ?? undefined)
  return Response.json(token, { headers: { 'cache-control': 'no-store' } })
}
