import { Nowhere } from '@/components/shell/dead-end'

export default function NotFound() {
  return (
    <main>
      <Nowhere />
    </main>
  )
}
