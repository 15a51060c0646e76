# man-page.awk: a manual page with its programs: see man-example.awk.
/^@EXAMPLE [a-z_]+@$/ {
    gsub(/^@EXAMPLE |@$/, "")
    printf "%s", example($0)
    next
}
{ print }
