import { Skeleton } from '@/components/ui'

export default function Loading() {
  return (
    <div aria-busy="true" aria-label="Boot images are being read" className="grid gap-4">
      <Skeleton height={28} width={384} className="max-w-full" />
      <Skeleton height={224} />
      <Skeleton height={160} />
    </div>
  )
}
