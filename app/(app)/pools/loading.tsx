import { Skeleton } from '@/components/ui'

export default function Loading() {
  return (
    <div aria-busy="true" aria-label="Pools are being read" className="grid gap-4">
      <Skeleton height={28} width={240} className="max-w-full" />
      <Skeleton height={32} />
      <Skeleton height={320} />
    </div>
  )
}
