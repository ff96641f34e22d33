import { NotAllowed } from '@/components/shell/dead-end'

export default function Forbidden() {
  return (
    <main>
      <NotAllowed />
    </main>
  )
}
