import { LinkButton } from '@/components/ui/button'

export default function Forbidden() {
  return (
    <main className="mx-auto grid max-w-lg justify-items-start gap-3 px-6 py-24">
      <h1>Your role does not allow this page.</h1>
      <p className="text-ink-2">Ask an administrator of Drydock to change your role.</p>
      <LinkButton href="/">To the fleet</LinkButton>
    </main>
  )
}
