import { Skeleton, SkeletonRows } from '@/components/ui/states'

/** The shape of a page with a headline and a table, which all pages are. */
export default function Loading() {
  return (
    <div className="max-w-[1320px]" aria-busy>
      <p role="status" className="sr-only">
        Loading
      </p>
      <Skeleton width={260} height={22} />
      <table className="grid-table mt-5 max-phone:table-fixed">
        <tbody>
          <SkeletonRows rows={12} widths={[180, 90, 70, '60%', 60]} />
        </tbody>
      </table>
    </div>
  )
}
