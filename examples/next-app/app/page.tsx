import { ClientError, type Client } from '@amodal/sdk/client'
import Link from 'next/link'
import { notFound } from 'next/navigation'
import { signIn, signOut } from './actions'
import { agentOf, agentUrl } from './agent'
import { Chat } from './chat'
import { signedInUser } from './user'

const MOST_CONVERSATIONS = 10

interface PageProps {
  readonly searchParams: Promise<{ readonly session?: string }>
}

/** The conversations of the person, and one of them with its history, rendered on the server. */
export default async function Page({ searchParams }: PageProps) {
  const [{ session }, user] = await Promise.all([searchParams, signedInUser()])
  if (user === undefined) return <SignIn />
  const agent = await agentOf(user)
  const [{ sessions }, initial] = await Promise.all([
    agent.sessions({ limit: MOST_CONVERSATIONS }),
    session === undefined ? undefined : read(agent, session),
  ])
  return (
    <div className="columns">
      <nav aria-label="Conversations">
        <Link href="/">New conversation</Link>
        {sessions.map(({ id, title }) => (
          <Link key={id} href={{ query: { session: id } }} aria-current={id === session && 'page'}>
            {title ?? 'Untitled'}
          </Link>
        ))}
        <form action={signOut}>
          <button>Sign out {user}</button>
        </form>
      </nav>
      <Chat url={agentUrl()} session={initial} />
    </div>
  )
}

/** The history of a session that this person may see. */
async function read(agent: Client, session: string) {
  try {
    return await agent.session(session)
  } catch (cause) {
    if (cause instanceof ClientError && cause.status === 404) notFound()
    throw cause
  }
}

const SignIn = () => (
  <form className="sign-in" action={signIn}>
    <label>
      Your name <input name="name" pattern="[\w\-]{1,64}" required />
    </label>
    <button>Sign in</button>
  </form>
)
