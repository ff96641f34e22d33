// Inside the shell, which is the page's main part already.
export { Nowhere as default } from '@/components/shell/dead-end'
