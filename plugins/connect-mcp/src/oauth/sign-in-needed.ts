/** The server wants a person to sign in, or to allow more. */
export class SignInNeededError extends Error {
  override readonly name = 'SignInNeededError'
}

/** What a person does about it. */
export const howToSignIn = (name: string): string => `amodal ops connections login ${name}`
