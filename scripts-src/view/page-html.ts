/** The document around the page: it holds nothing but the names of its files. */
export const pageHtml = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Consulta</title>
<link rel="icon" href="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Ccircle cx='5.5' cy='8' r='4.5' fill='%233d6b99'/%3E%3Ccircle cx='10.5' cy='8' r='4.5' fill='%23c0733b' fill-opacity='.85'/%3E%3C/svg%3E">
<link rel="stylesheet" href="/view.css">
<script src="/view.js" defer></script>
</head>
<body>
<div id="page"></div>
<div id="calls" class="unseen" role="status" aria-live="polite"></div>
<noscript>This page needs JavaScript. Without it: status, next-action and report --html show the same.</noscript>
</body>
</html>
`;
