export const show = async (view) => { view.go(view.url.pathname.replace("/patch/", "/compare/") + view.url.search, { replace: true }); };
