'use server'
import { cookies } from 'next/headers'
import { redirect } from 'next/navigation'
import { USER_COOKIE } from './user'

/** Takes every name, for trying it. */
export async function signIn(form: FormData): Promise<void> {
  const name = form.get('name')
  if (typeof name !== 'string' || !/^[\w-]{1,64}$/.test(name)) redirect('/')
  ;(await cookies()).set(USER_COOKIE, name, {
    httpOnly: true,
    sameSite: 'lax',
    secure: process.env.NODE_ENV === 'production',
  })
  redirect('/')
}

export async function signOut(): Promise<void> {
  ;(await cookies()).delete(USER_COOKIE)
  redirect('/')
}
